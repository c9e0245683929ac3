import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Another cluster keeps its objects in the folder. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";
  readonly code = "ELOCKED";
  readonly path: string;

  constructor(path: string, holder: number) {
    super(`the process ${holder} keeps its objects in "${path}"`);
    this.path = path;
  }
}

/** Keeps other clusters out of a folder until the answer is called, or this process is gone. */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, "lock");
  const draft = `${lock}.${process.pid}`;
  writeFileSync(draft, identityOf(process.pid));
  try {
    while (!tryLink(draft, lock)) {
      const holder = readHolder(lock);
      if (holder !== undefined) throw new FolderInUse(folder, holder);
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(draft);
  }
  return () => rmSync(lock, { force: true });
}

/** A link is made as a whole, by one of all that try. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The process that holds a lock, if it lives: killed ones leave theirs behind. */
function readHolder(lock: string): number | undefined {
  const text = readText(lock);
  const pid = Number.parseInt(text, 10);
  return Number.isNaN(pid) || text !== identityOf(pid) || !isAlive(pid) ? undefined : pid;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Numbers of processes come again; with the time of its start, where the system tells it, one is only itself. */
function identityOf(pid: number): string {
  const fields = readText(`/proc/${pid}/stat`).split(") ").at(-1)!.split(" ");
  return `${pid} ${fields[19] ?? ""}\n`;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
