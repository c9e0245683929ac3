import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The processes with a given working directory. */
export function processesIn(folder: string): number[] {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.filter((pid) => workingFolder(pid) === folder).map(Number);
}

/** In megabytes; 0 if the system does not report it. */
export function residentMemory(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

/** The processor time of processes and all of their threads, in milliseconds; 0 if the system does not report it. */
export function processorTime(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    // The name of the program, which comes first, may contain anything.
    const fields = read(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ");
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return ticks.reduce((sum, one) => sum + one, 0) * 10;
}

function workingFolder(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
