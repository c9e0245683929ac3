import { readFileSync } from "node:fs";

/** Numbers of processes come again; with the time of its start, where the system tells it, one is only itself. */
export function identityOf(pid: number): string {
  return `${pid} ${statusFields(pid)[19] ?? ""}`;
}

/** Tells whether a process still works. One that has ended, but that nobody has waited for, does not. */
export function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || statusFields(pid)[0] === "Z") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** What Linux says of a process, behind its name: its state comes first, and its start is the twentieth. */
function statusFields(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  } catch {
    return [];
  }
}
