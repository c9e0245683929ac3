import { readFileSync } from "node:fs";

/**
 * PIDs are reused; a PID with the process's start time and the boot that it counts from (known on Linux only) is unique.
 * The boot's id is random, so that a repository can't contain the lock of a process that runs wherever it is cloned.
 */
export function identityOf(pid: number): string {
  return [pid, statusFields(pid)[19] ?? "", readText("/proc/sys/kernel/random/boot_id").trim()].join(" ");
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
  const text = readText(`/proc/${pid}/stat`);
  return text === "" ? [] : text.split(") ").at(-1)!.split(" ");
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
