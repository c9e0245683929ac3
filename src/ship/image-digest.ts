import { existsSync, readFileSync } from "node:fs";
import { TsbuilderError } from "../shared/errors.ts";
import type { ContainerTool } from "./container-tool.ts";
import { imageName, parseImageReference } from "./image-reference.ts";
import { runTool } from "./tool.ts";

/** Finds out under which digest a registry keeps an image that was just pushed. */
export async function readDigest(tool: ContainerTool, image: string, report: string): Promise<string> {
  const digest = existsSync(report)
    ? digestInReport(readFileSync(report, "utf8"))
    : digestInEngine(image, await repoDigests(tool, image));
  if (digest) return digest;
  throw new TsbuilderError(`${image} was pushed, but ${tool} does not say its digest`, {
    code: "TOOL_FAILED",
    hint: `ask the registry, or ${tool}: ${tool} image inspect ${image}`,
  });
}

/** podman and buildah write the digest alone, docker's buildx all that it knows. */
export function digestInReport(text: string): string | undefined {
  if (!text.startsWith("{")) return text.trim();
  return (JSON.parse(text) as { "containerimage.digest"?: string })["containerimage.digest"];
}

/** An engine knows a digest for each repository in which an image has ever been; docker's own registry it leaves away. */
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
