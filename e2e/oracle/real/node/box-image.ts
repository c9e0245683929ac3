import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeImageArchive } from "./image-archive.ts";

/** An image with busybox, which all nodes have. */
export const boxImage = "localhost/box:1";

export function writeBoxImage(archive: string): void {
  const root = mkdtempSync(join(tmpdir(), "box-"));
  try {
    mkdirSync(join(root, "bin"));
    copyFileSync("/bin/busybox", join(root, "bin/busybox"));
    symlinkSync("busybox", join(root, "bin/sleep"));
    writeImageArchive(archive, boxImage, root, { Entrypoint: ["/bin/sleep", "1000000000"] });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
