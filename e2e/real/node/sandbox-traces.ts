import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/**
 * What a machine has of one sandbox: its folder, control groups and processes. Those of others, which may stand beside
 * it, don't count.
 */
export function sandboxTraces(folder: string): string[] {
  const name = basename(folder);
  const groups = execFileSync("find", ["/sys/fs/cgroup", "-type", "d", "-name", name], { encoding: "utf8" });
  return [
    ...(existsSync(folder) ? [folder] : []),
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
