import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";
import type { ContainerTool } from "./container-tool.ts";
import { readDigest } from "./image-digest.ts";
import { type ImageBuild, planImageBuild, planPush } from "./image-plan.ts";
import { type LocalCluster, loadImage } from "./image-load.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { showTool } from "./tool.ts";

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
