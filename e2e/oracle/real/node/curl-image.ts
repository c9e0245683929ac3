import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addProgram } from "../../../support/registries/base-images.ts";
import { writeImageArchive } from "./image-archive.ts";

/** Writes the image that scaffolded end-to-end tests fetch metrics with, as an archive: this machine's curl. */
export function writeCurlImage(archive: string): void {
  const root = mkdtempSync(join(tmpdir(), "curl-"));
  try {
    mkdirSync(join(root, "usr/bin"), { recursive: true });
    addProgram(root, "/usr/bin/curl");
    writeImageArchive(archive, "docker.io/curlimages/curl:8.16.0", root, { Env: ["PATH=/usr/bin"] });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
