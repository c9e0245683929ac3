import { existsSync, readFileSync } from "node:fs";
import { TsbuilderError } from "../shared/errors.ts";
import type { ContainerTool } from "./container-tool.ts";
import { imageName, parseImageReference } from "./image-reference.ts";
import { runTool } from "./tool.ts";

/** Finds the digest under which a registry stores an image that was just pushed. */
export async function readDigest(tool: ContainerTool, image: string, report: string): Promise<string> {
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
