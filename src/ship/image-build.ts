import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";
import type { ContainerTool } from "./container-tool.ts";
import { type ImageBuild, planImageBuild, planPush } from "./image-plan.ts";
import { type LocalCluster, loadImage } from "./image-load.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { runTool, showTool } from "./tool.ts";
import { imageName, parseImageReference } from "./image-reference.ts";

/** What to do with an image after building it. */
export interface ImageOutcome {
  readonly push: boolean;
  readonly save: string | undefined;
  readonly load: LocalCluster | undefined;
  readonly digestFile: string | undefined;
}

/** Builds an image and pushes, saves or loads it; the tool's output is passed through. */
export async function buildImage(
  tool: ContainerTool,
  build: ImageBuild,
  outcome: ImageOutcome,
): Promise<void> {
  const { push, save, digestFile } = outcome;
  if (digestFile !== undefined && !push) {
    throw new TsbuilderError("an image has no digest until it is pushed", {
      code: "INVALID_ARGUMENT",
      hint: "add --push, or omit --digest-file",
    });
  }
  await recordDigest(tool, build.image, digestFile, async (report) => {
    for (const call of planImageBuild(tool, build, { push, save, report })) await showTool(call);
  });
  if (outcome.load) await loadImage(tool, build.image, outcome.load, undefined);
}

/** Pushes an image and, if requested, records the digest under which the registry stores it. */
export async function pushImage(
  tool: ContainerTool,
  image: string,
  { digestFile, extra }: { readonly digestFile: string | undefined; readonly extra: readonly string[] },
): Promise<void> {
  await recordDigest(tool, image, digestFile, (report) => showTool(planPush(tool, image, { report, extra })));
}

/** Passes a file for the tool's report to a push, and writes the digest to the requested file. */
async function recordDigest(
  tool: ContainerTool,
  image: string,
  digestFile: string | undefined,
  push: (report: string | undefined) => Promise<void>,
): Promise<void> {
  if (digestFile === undefined) return push(undefined);
  await withTemporaryFolder("tsbuilder-digest-", async (folder) => {
    const report = join(folder, "report");
    await push(report);
    const digest = await readDigest(tool, image, report);
    try {
      writeFileSync(digestFile, `${digest}\n`);
    } catch (error) {
      throw new TsbuilderError(
        `${image} was pushed as ${digest}, which cannot be written: ${(error as Error).message}`,
        { code: "REFUSED", hint: "use a writable file with --digest-file", cause: error },
      );
    }
  });
}

/** Finds the digest under which a registry stores an image that was just pushed. */
async function readDigest(tool: ContainerTool, image: string, report: string): Promise<string> {
  const digest = existsSync(report)
    ? digestInReport(readFileSync(report, "utf8"))
    : digestInEngine(image, await repoDigests(tool, image));
  if (digest) return digest;
  throw new TsbuilderError(`${image} was pushed, but ${tool} does not report its digest`, {
    code: "TOOL_FAILED",
    hint: `query the registry, or ${tool}: ${tool} image inspect ${image}`,
  });
}

/** podman and buildah write only the digest, docker's buildx all its metadata. */
export function digestInReport(text: string): string | undefined {
  if (!text.startsWith("{")) return text.trim();
  return (JSON.parse(text) as { "containerimage.digest"?: string })["containerimage.digest"];
}

/**
 * A local engine keeps a digest for each repository that an image was pushed to; for Docker Hub it omits the registry.
 */
export function digestInEngine(image: string, repoDigests: readonly string[]): string | undefined {
  const reference = parseImageReference(image);
  const names = [imageName(reference), reference.repository];
  return names
    .flatMap((name) => repoDigests.filter((digest) => digest.startsWith(`${name}@`)))
    .map((digest) => digest.slice(digest.lastIndexOf("@") + 1))[0];
}

async function repoDigests(tool: ContainerTool, image: string): Promise<string[]> {
  const args = ["image", "inspect", "--format", "{{json .RepoDigests}}", image];
  return (JSON.parse((await runTool({ tool, args })).stdout) ?? []) as string[];
}
