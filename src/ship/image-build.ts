import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";
import type { ContainerTool } from "./container-tool.ts";
import { type ImageBuild, planImageBuild, planPush } from "./image-plan.ts";
import { type LocalCluster, loadImage } from "./image-load.ts";
import { runTool, showTool } from "./tool.ts";

/** What becomes of an image that was built. */
export interface ImageOutcome {
  readonly push: boolean;
  readonly save: string | undefined;
  readonly load: LocalCluster | undefined;
  readonly digestFile: string | undefined;
}

/** Builds an image and brings it where it is wanted; the tool's own output is shown as it comes. */
export async function buildImage(
  tool: ContainerTool,
  build: ImageBuild,
  outcome: ImageOutcome,
): Promise<void> {
  if (outcome.digestFile && !outcome.push) {
    throw new TsbuilderError("an image has a digest once it is pushed", {
      code: "INVALID_ARGUMENT",
      hint: "add --push, or leave --digest-file away",
    });
  }
  for (const call of planImageBuild(tool, build, outcome)) await showTool(call);
  if (outcome.load) await loadImage(tool, build.image, outcome.load, undefined);
  if (outcome.digestFile) writeFileSync(outcome.digestFile, `${await digestOf(tool, build.image)}\n`);
}

/** Pushes an image and, where asked, records the digest under which the registry keeps it. */
export async function pushImage(
  tool: ContainerTool,
  image: string,
  digestFile: string | undefined,
): Promise<void> {
  await showTool(planPush(tool, image));
  if (digestFile) writeFileSync(digestFile, `${await digestOf(tool, image)}\n`);
}

async function digestOf(tool: ContainerTool, image: string): Promise<string> {
  if (tool === "buildah" || tool === "podman") return digestByPush(tool, image);
  const format = "{{index .RepoDigests 0}}";
  const { stdout } = await runTool({ tool, args: ["image", "inspect", "--format", format, image] });
  return stdout.slice(stdout.lastIndexOf("@") + 1).trim();
}

/** podman and buildah tell a digest only of a push; pushing what is there again moves no data. */
async function digestByPush(tool: ContainerTool, image: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-digest-"));
  try {
    const file = join(folder, "digest");
    await runTool({ tool, args: ["push", "--digestfile", file, image] });
    return readFileSync(file, "utf8").trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
