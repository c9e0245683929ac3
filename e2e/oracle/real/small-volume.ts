import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** A folder on a volume whose size can change: memory that is mounted over it, with what it has. */
export class SmallVolume {
  readonly #folder: string;
  #isMounted = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Nobody may use the folder meanwhile. */
  mount(): void {
    this.#replace(() => mount(this.#folder, ["--types", "tmpfs", "--options", "size=2g", "small-volume"]));
    this.#isMounted = true;
  }

  /** Nobody may use the folder meanwhile. */
  unmount(): void {
    if (this.#isMounted) this.#replace(() => execFileSync("umount", [this.#folder]));
    this.#isMounted = false;
  }

  /** Shrinks or grows the volume, so that this many bytes are free; less than a page is none. */
  leave(bytes: number): void {
    const { blocks, bfree, bsize } = statfsSync(this.#folder);
    const size = (blocks - bfree) * bsize + bytes;
    mount(this.#folder, ["--options", `remount,size=${size}`]);
  }

  get isFull(): boolean {
    return statfsSync(this.#folder).bfree === 0;
  }

  #replace(change: () => void): void {
    const copy = mkdtempSync(join(tmpdir(), "small-volume-"));
    execFileSync("cp", ["--archive", `${this.#folder}/.`, copy]);
    change();
    execFileSync("cp", ["--archive", `${copy}/.`, this.#folder]);
    rmSync(copy, { recursive: true, force: true });
  }
}

function mount(folder: string, words: readonly string[]): void {
  execFileSync("mount", [...words, folder]);
}

/** The missing prerequisite for small volumes on this machine, if any. */
export function smallVolumesLack(): string | undefined {
  if (userInfo().uid !== 0) return "only root may mount";
  const folder = mkdtempSync(join(tmpdir(), "small-volume-"));
  const { status } = spawnSync("mount", ["--types", "tmpfs", "small-volume", folder]);
  if (status === 0) spawnSync("umount", [folder]);
  rmSync(folder, { recursive: true, force: true });
  return status === 0 ? undefined : "this machine lets nobody mount";
}
