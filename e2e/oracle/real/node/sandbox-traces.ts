import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { sandboxFolders } from "../../../../src/cluster/nodes/sandbox.ts";

/**
 * The traces of one sandbox on a machine: its folder, control groups and processes. Those of others, which may stand beside
 * it, don't count.
 */
export function sandboxTraces(folder: string): string[] {
  return [...(existsSync(folder) ? [folder] : []), ...tracesOf(basename(folder))];
}

/** The names of the sandboxes of which a machine has traces. */
export function tracedSandboxes(): string[] {
  const all = basename(sandboxFolders);
  const seen = [
    ...readdirSync(dirname(sandboxFolders)),
    ...groupsOf(all),
    ...processes().flatMap((pid) => [readOf(pid, "mountinfo"), readOf(pid, "cmdline")]),
  ];
  return [...new Set(seen.flatMap((text) => text.match(new RegExp(`${all}[0-9a-f]+`, "gu")) ?? []))];
}

/** The processes that clean up after sandboxes: they outlive whoever started them. */
export function keepers(): string[] {
  return processes().filter((pid) => readOf(pid, "cmdline").includes(`keeper.sh\0${sandboxFolders}`));
}

/** The control groups and processes of a sandbox: its programs see mounts from its folder, its keeper was started with its name. */
function tracesOf(name: string): string[] {
  const isOf = (pid: string): boolean =>
    ["mountinfo", "cmdline"].some((file) => readOf(pid, file).includes(name));
  return [
    ...groupsOf(name),
    ...processes()
      .filter(isOf)
      .map((pid) => `process ${pid}`),
  ];
}

function groupsOf(name: string): string[] {
  const words = ["/sys/fs/cgroup", "-type", "d", "-name", `${name}*`];
  // It fails if groups of others end meanwhile.
  const { stdout } = spawnSync("find", words, { encoding: "utf8" });
  return stdout.split("\n").filter((group) => group !== "");
}

function processes(): string[] {
  return readdirSync("/proc").filter((entry) => /^\d+$/u.test(entry));
}

/** The empty string for a process that has ended meanwhile. */
function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
