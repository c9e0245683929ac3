import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sandboxFolders } from "../../../../src/cluster/nodes/sandbox.ts";

/**
 * The traces of one sandbox on a machine: its folder, control groups and processes. Those of others, which may stand beside
 * it, don't count.
 */
export function sandboxTraces(folder: string): string[] {
  return [...(existsSync(folder) ? [folder] : []), ...tracesOf(basename(folder))];
}

/** The traces of all sandboxes on a machine. */
export function tracesOfAll(): string[] {
  const parent = dirname(sandboxFolders);
  const name = basename(sandboxFolders);
  const folders = readdirSync(parent).filter((entry) => entry.startsWith(name));
  return [...folders.map((entry) => join(parent, entry)), ...tracesOf(name)];
}

/** The processes that clean up after sandboxes: they outlive whoever started them. */
export function keepers(): string[] {
  return readdirSync("/proc").filter(
    (entry) => /^\d+$/.test(entry) && readOf(entry, "cmdline").includes(`keeper.sh\0${sandboxFolders}`),
  );
}

/** The control groups and processes of the sandboxes whose names begin so. */
function tracesOf(name: string): string[] {
  const words = ["/sys/fs/cgroup", "-type", "d", "-name", `${name}*`];
  // It fails if groups of others end meanwhile.
  const { stdout: groups } = spawnSync("find", words, { encoding: "utf8" });
  return [
    ...groups.split("\n").filter((group) => group !== ""),
    ...readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry) && belongsTo(name, entry))
      .map((pid) => `process ${pid}`),
  ];
}

/** Its programs see mounts from its folder, also those in containers; its keeper was started with the folder's name. */
function belongsTo(name: string, pid: string): boolean {
  return ["mountinfo", "cmdline"].some((file) => readOf(pid, file).includes(name));
}

/** The empty string for a process that has ended meanwhile. */
function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
