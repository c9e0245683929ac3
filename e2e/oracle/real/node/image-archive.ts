import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Writes an image of one layer, the content of a folder, as the archive that every engine loads. */
export function writeImageArchive(
  file: string,
  names: string | readonly string[],
  root: string,
  config: object,
): void {
  const work = mkdtempSync(join(tmpdir(), "image-"));
  try {
    mkdirSync(join(work, "layer"));
    execFileSync("tar", [
      "--create",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--file",
      join(work, "layer/layer.tar"),
      "-C",
      root,
      ".",
    ]);
    const digest = createHash("sha256")
      .update(readFileSync(join(work, "layer/layer.tar")))
      .digest("hex");
    const image = {
      architecture: process.arch === "x64" ? "amd64" : process.arch,
      os: "linux",
      config,
      // podman and buildah count the layers in it.
      history: [{ created_by: "tar" }],
      rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
    };
    writeFileSync(join(work, "config.json"), JSON.stringify(image));
    const manifest = [{ Config: "config.json", RepoTags: [names].flat(), Layers: ["layer/layer.tar"] }];
    writeFileSync(join(work, "manifest.json"), JSON.stringify(manifest));
    execFileSync("tar", [
      "--create",
      "--file",
      file,
      "-C",
      work,
      "manifest.json",
      "config.json",
      "layer/layer.tar",
    ]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
