import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What nodes may change on a machine; nothing of it may differ after they have ended. */
export function machineState(): Readonly<Record<string, string>> {
  const output = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { encoding: "utf8" });
  return {
    links: output("ip", "-oneline", "link"),
    routes: output("ip", "route"),
    rules: output("iptables-save")
      .replaceAll(/^#.*\n/gm, "")
      .replaceAll(/\[\d+:\d+\]/g, ""),
    mounts: readFileSync("/proc/self/mounts", "utf8"),
    groups: output("find", "/sys/fs/cgroup", "-type", "d", "-name", "tsbuilder-node-*"),
    folders: readdirSync("/var/tmp")
      .filter((name) => name.startsWith("tsbuilder-node-"))
      .join(),
    settings: output(
      "sysctl",
      "vm.overcommit_memory",
      "kernel.panic",
      "kernel.panic_on_oops",
      "net.ipv4.ip_forward",
    ),
    processes: processesElsewhere().join("\n"),
  };
}

/** Processes in process namespaces of their own. */
function processesElsewhere(): string[] {
  const own = readlinkSync("/proc/self/ns/pid");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const namespace = namespaceOf(pid);
      return namespace !== undefined && namespace !== own;
    });
}

/** Undefined for a process that has ended meanwhile. */
function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}
