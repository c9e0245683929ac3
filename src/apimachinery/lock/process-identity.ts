import { readFileSync } from "node:fs";

/** PIDs are reused; a PID with the process's start time (known on Linux only) is unique. */
export function identityOf(pid: number): string {
  return `${pid} ${statusFields(pid)[19] ?? ""}`;
}

/** Returns true if a process is running. A zombie is not. */
export function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || statusFields(pid)[0] === "Z") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The fields of `/proc/PID/stat` after the process's name: the first is its state, the twentieth its start time. */
function statusFields(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  } catch {
    return [];
  }
}
