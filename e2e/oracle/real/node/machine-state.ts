import { execFileSync } from "node:child_process";

/** The state that every process of a machine shares; a node that has ended may not have changed it. */
export function machineState(): Readonly<Record<string, string>> {
  const output = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { encoding: "utf8" });
  return {
    links: output("ip", "-oneline", "link"),
    routes: output("ip", "route"),
    rules: output("iptables-save")
      .replaceAll(/^#.*\n/gm, "")
      .replaceAll(/\[\d+:\d+\]/g, ""),
    mounts: output("cat", "/proc/self/mounts"),
    settings: output(
      "sysctl",
      "vm.overcommit_memory",
      "kernel.panic",
      "kernel.panic_on_oops",
      "net.ipv4.ip_forward",
    ),
  };
}
