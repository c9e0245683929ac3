import { TsbuilderError } from "../shared/errors.ts";
import type { ContainerTool } from "./container-tool.ts";
import type { ToolCall } from "./tool.ts";

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

/** The targets of an image after it was built. */
export interface ImageTargets {
  readonly push: boolean;
  /** The archive to write. */
  readonly save: string | undefined;
  /** The file for the tool's own report of a push; docker and nerdctl only report to their image store. */
  readonly report?: string | undefined;
}

/** How an image is pushed. */
export interface PushOptions {
  /** A manifest list for several platforms. */
  readonly several?: boolean;
  readonly report?: string | undefined;
  /** Arguments for the tool itself, after `--`. */
  readonly extra?: readonly string[];
}

/** The commands that build an image and bring it to its targets. */
export function planImageBuild(tool: ContainerTool, build: ImageBuild, targets: ImageTargets): ToolCall[] {
  const several = build.platforms.length > 1;
  if (several && tool === "docker") return [planBuildx(build, targets)];
  return [
    { tool, args: [...buildWords(tool, several, build), ...build.extra, build.context] },
    ...(targets.push ? [planPush(tool, build.image, { several, report: targets.report })] : []),
    ...(targets.save === undefined ? [] : [planSave(tool, build.image, targets.save, { several })]),
  ];
}

/** The command that pushes an existing image. */
export function planPush(
  tool: ContainerTool,
  image: string,
  { several = false, report, extra = [] }: PushOptions = {},
): ToolCall {
  if (tool === "docker" || tool === "nerdctl") {
    return { tool, args: ["push", ...(several ? ["--all-platforms"] : []), ...extra, image] };
  }
  const words = [...(report === undefined ? [] : ["--digestfile", report]), ...extra];
  return several
    ? { tool, args: ["manifest", "push", "--all", ...words, image, `docker://${image}`] }
    : { tool, args: ["push", ...words, image] };
}

/** The command that saves an existing image to an archive which clusters can load. */
export function planSave(
  tool: ContainerTool,
  image: string,
  file: string,
  { several = false } = {},
): ToolCall {
  switch (tool) {
    case "docker":
      return { tool, args: ["save", "--output", file, image] };
    case "nerdctl":
      return { tool, args: ["save", ...(several ? ["--all-platforms"] : []), "--output", file, image] };
    case "podman":
      return several
        ? { tool, args: ["manifest", "push", "--all", image, `oci-archive:${file}`] }
        : { tool, args: ["save", "--format", "docker-archive", "--output", file, image] };
    case "buildah":
      return several
        ? { tool, args: ["manifest", "push", "--all", image, `oci-archive:${file}`] }
        : { tool, args: ["push", image, `docker-archive:${file}:${image}`] };
  }
}

function buildWords(tool: ContainerTool, several: boolean, build: ImageBuild): string[] {
  const platforms = build.platforms.length > 0 ? ["--platform", build.platforms.join(",")] : [];
  // podman and buildah store several platforms in a manifest list, which must be named as such.
  const name = several && (tool === "podman" || tool === "buildah") ? "--manifest" : "--tag";
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
