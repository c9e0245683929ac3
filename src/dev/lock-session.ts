import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";

/**
 * Takes a project's folder for one session, and gives what releases it. A second one would write the same bundle,
 * kubeconfigs and kept objects. What a killed session left is taken over.
 */
export function lockSession(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "pid");
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = Number(readFileSync(file, "utf8"));
    if (isRunning(holder)) throw alreadyRunning(holder);
    rmSync(file, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function alreadyRunning(pid: number): TsbuilderError {
  return new TsbuilderError(`tsbuilder dev runs in this project already, as process ${pid}`, {
    code: "REFUSED",
    hint: `use that one, or end it: kill ${pid}`,
  });
}
