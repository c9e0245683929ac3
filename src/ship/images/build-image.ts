/**
 * Container images: build, push, save and load them, with whatever tool is there (`container-tool.ts`). Begin here. The plans
 * are pure: they return commands. `pin-image.ts` replaces tags of base images by digests.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import type { ContainerTool } from "./container-tool.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { type ToolCall, runTool, showTool } from "../tool.ts";
import { imageName, parseImageReference } from "./image-reference.ts";

/** The destinations of an image after its build. */
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
    const hint = "add --push, or omit --digest-file";
    throw new TsbuilderError("an image has no digest until it is pushed", { code: "INVALID_ARGUMENT", hint });
  }
  await recordDigest(tool, build.image, digestFile, async (report) => {
    for (const call of planImageBuild(tool, build, { push, save, report })) await showTool(call);
  });
  const { load } = outcome;
  if (!load) return;
  await withTemporaryFolder("tsbuilder-image-", async (folder) => {
    const archive = join(folder, "image.tar");
    await saveImage(tool, build.image, archive);
    await loadImage(archive, load, undefined);
  });
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

/** Reads the digest in a tool's report: podman and buildah write only the digest, docker's buildx all its metadata. */
export function digestInReport(text: string): string | undefined {
  if (!text.startsWith("{")) return text.trim();
  return (JSON.parse(text) as { "containerimage.digest"?: string })["containerimage.digest"];
}

/** Finds an image's digest in a local engine, which has one per repository. Images of Docker Hub have no registry there. */
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

/** The image to build, and its inputs. */
export interface ImageBuild {
  readonly image: string;
  /** The folder of the Dockerfile. */
  readonly context: string;
  /** `linux/amd64`, `linux/arm64` …; if empty, the machine's own. */
  readonly platforms: readonly string[];
  readonly buildArgs: readonly string[];
  /** Arguments for the tool itself, after `--`. */
  readonly extra: readonly string[];
}

export interface ImageTargets {
  readonly push: boolean;
  readonly save: string | undefined;
  /** The file for the tool's own report of a push; docker and nerdctl only report to their image store. */
  readonly report?: string | undefined;
}

/** The commands that build an image, and push or save it. Throws if docker would have to store several platforms. */
export function planImageBuild(tool: ContainerTool, build: ImageBuild, targets: ImageTargets): ToolCall[] {
  const isMultiPlatform = build.platforms.length > 1;
  if (isMultiPlatform && tool === "docker") return [planBuildx(build, targets)];
  return [
    { tool, args: [...buildWords(tool, isMultiPlatform, build), ...build.extra, build.context] },
    ...(targets.push ? [planPush(tool, build.image, { isMultiPlatform, report: targets.report })] : []),
    ...(targets.save === undefined ? [] : [planSave(tool, build.image, targets.save, { isMultiPlatform })]),
  ];
}

interface PushOptions {
  /** A manifest list for several platforms. */
  readonly isMultiPlatform?: boolean;
  readonly report?: string | undefined;
  /** Arguments for the tool itself, after `--`. */
  readonly extra?: readonly string[];
}

/** The command that pushes an image, or the manifest list of several platforms. */
export function planPush(
  tool: ContainerTool,
  image: string,
  { isMultiPlatform = false, report, extra = [] }: PushOptions = {},
): ToolCall {
  if (tool === "docker" || tool === "nerdctl") {
    return { tool, args: ["push", ...(isMultiPlatform ? ["--all-platforms"] : []), ...extra, image] };
  }
  const words = [...(report === undefined ? [] : ["--digestfile", report]), ...extra];
  return isMultiPlatform
    ? { tool, args: ["manifest", "push", "--all", ...words, image, `docker://${image}`] }
    : { tool, args: ["push", ...words, image] };
}

/** The command that saves an existing image to an archive which clusters can load. */
export function planSave(
  tool: ContainerTool,
  image: string,
  file: string,
  { isMultiPlatform = false } = {},
): ToolCall {
  switch (tool) {
    case "docker":
      return { tool, args: ["save", "--output", file, image] };
    case "nerdctl":
      return {
        tool,
        args: ["save", ...(isMultiPlatform ? ["--all-platforms"] : []), "--output", file, image],
      };
    case "podman":
    case "buildah":
      // Their own name for an image without a registry begins with localhost/, and a cluster doesn't look for that.
      return isMultiPlatform
        ? { tool, args: ["manifest", "push", "--all", image, `oci-archive:${file}`] }
        : { tool, args: ["push", image, `docker-archive:${file}:${image}`] };
  }
}

/** Returns the arguments of a build, but those of the user and the context. */
function buildWords(tool: ContainerTool, isMultiPlatform: boolean, build: ImageBuild): string[] {
  const platforms = build.platforms.length > 0 ? ["--platform", build.platforms.join(",")] : [];
  // podman and buildah store several platforms in a manifest list, which must be named as such.
  const name = isMultiPlatform && (tool === "podman" || tool === "buildah") ? "--manifest" : "--tag";
  return ["build", ...platforms, ...buildArgs(build), name, build.image];
}

/** Docker's engine stores one platform of an image, so several must be exported right away. */
function planBuildx(build: ImageBuild, { push, save, report }: ImageTargets): ToolCall {
  if (!push && save === undefined) {
    throw new TsbuilderError(`docker's engine cannot store an image for ${build.platforms.join(" and ")}`, {
      code: "INVALID_ARGUMENT",
      hint: "push it with --push, or save it to an archive with --save image.tar",
    });
  }
  const outputs = [
    ...(push ? ["--push"] : []),
    ...(report === undefined ? [] : ["--metadata-file", report]),
    ...(save === undefined ? [] : ["--output", `type=oci,dest=${save}`]),
  ];
  return {
    tool: "docker",
    args: [
      "buildx",
      "build",
      "--platform",
      build.platforms.join(","),
      ...buildArgs(build),
      "--tag",
      build.image,
      ...outputs,
      ...build.extra,
      build.context,
    ],
  };
}

function buildArgs({ buildArgs }: ImageBuild): string[] {
  return buildArgs.flatMap((argument) => ["--build-arg", argument]);
}

/** Local clusters that can load an image without a registry. */
export const localClusters = ["kind", "minikube", "k3d"] as const;

export type LocalCluster = (typeof localClusters)[number];

/** Saves an image to an archive, which works with any container tool. */
export async function saveImage(tool: ContainerTool, image: string, file: string): Promise<void> {
  await runTool(planSave(tool, image, file));
}

/** Loads the image of an archive into a local cluster. */
export async function loadImage(
  archive: string,
  cluster: LocalCluster,
  name: string | undefined,
): Promise<void> {
  await showTool(planLoad(cluster, archive, name));
}

/** The command that loads an archive; `name` is the cluster's. Default: the tool's default cluster. */
function planLoad(cluster: LocalCluster, archive: string, name: string | undefined): ToolCall {
  switch (cluster) {
    case "kind":
      return { tool: "kind", args: ["load", "image-archive", archive, ...(name ? ["--name", name] : [])] };
    case "minikube":
      return { tool: "minikube", args: ["image", "load", archive, ...(name ? ["--profile", name] : [])] };
    case "k3d":
      return { tool: "k3d", args: ["image", "import", archive, ...(name ? ["--cluster", name] : [])] };
  }
}
