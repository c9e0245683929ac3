import { TsbuilderError } from "../../shared/errors.ts";
import { trace } from "../../shared/trace.ts";
import { type ImageReference, imageName } from "./image-reference.ts";

/** Matches an `ARG` with a default value. */
const argumentLine = /^(?<start>\s*ARG\s+(?<name>\w+)=)(?<image>[^\s$"']+)(?<rest>.*)$/isu;

/** Matches a `FROM`, whose image may also be an earlier stage or an argument. */
const fromLine = /^(?<start>\s*FROM\s+(?:--\S+\s+)*)(?<image>\S+)(?<rest>.*)$/isu;

/** Replaces the base images of a Dockerfile, also those in defaults of build arguments, by the results of a callback. */
export function replaceBaseImages(dockerfile: string, replace: (image: string) => string): string {
  const lines = dockerfile.split("\n");
  const imageArgumentNames = imageArguments(lines);
  const stages = new Set<string>();
  return lines
    .map((line) => {
      const argument = argumentLine.exec(line)?.groups;
      if (argument && imageArgumentNames.has(argument["name"]!))
        return `${argument["start"]}${replace(argument["image"]!)}${argument["rest"]}`;
      const from = fromLine.exec(line)?.groups;
      if (!from) return line;
      const { start = "", image = "", rest = "" } = from;
      const isImage = !image.includes("$") && image !== "scratch" && !stages.has(image);
      const stage = /\sAS\s+(\S+)/iu.exec(rest)?.[1];
      if (stage !== undefined) stages.add(stage);
      return isImage ? `${start}${replace(image)}${rest}` : line;
    })
    .join("\n");
}

/** Returns the names of build arguments that are the image of a stage: `FROM ${BASE_IMAGE}`. */
function imageArguments(lines: readonly string[]): Set<string> {
  const names = lines.flatMap((line) => {
    const image = fromLine.exec(line)?.groups?.["image"] ?? "";
    return /^\$\{?(\w+)\}?$/u.exec(image)?.[1] ?? [];
  });
  return new Set(names);
}

/** The media types that a tag may stand for: an index of images for several platforms, or a single image. */
const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

/** Asks the registry of a public image for the digest that its tag has now. Throws if the registry gives none. */
export async function askDigest(image: ImageReference): Promise<string> {
  const url = manifestUrl(image);
  const headers = { accept: manifestTypes.join(", ") };
  let answer = await ask(url, { method: "HEAD", headers }, image);
  if (answer.status === 401) {
    const authorization = `Bearer ${await askToken(answer.headers.get("www-authenticate") ?? "", image)}`;
    answer = await ask(url, { method: "HEAD", headers: { ...headers, authorization } }, image);
  }
  const digest = answer.headers.get("docker-content-digest");
  if (answer.ok && digest && /^sha256:[0-9a-f]{64}$/u.test(digest)) return digest;
  throw registryError(image, answer.ok ? "it names no digest" : `it answers with ${answer.status}`);
}

/** Returns the URL of an image's manifest. Without a registry it is on Docker Hub; there, without a user, Docker's own. */
function manifestUrl({ registry = "docker.io", repository, tag = "latest" }: ImageReference): URL {
  const isHub = registry === "docker.io";
  const host = isHub ? "registry-1.docker.io" : registry;
  const path = isHub && !repository.includes("/") ? `library/${repository}` : repository;
  const scheme = /^(?:localhost|127\.0\.0\.1)(?::|$)/u.test(registry) ? "http" : "https";
  return new URL(`${scheme}://${host}/v2/${path}/manifests/${tag}`);
}

/** Gets a token for reading. Registries hand one out to anybody for public images. */
async function askToken(challenge: string, image: ImageReference): Promise<string> {
  const fields = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/gu)].map(([, name, value]) => [name, value]),
  );
  const realm = fields.get("realm");
  if (!/^Bearer /iu.test(challenge) || realm === undefined)
    throw registryError(image, "it asks for a password");
  if (!URL.canParse(realm)) throw registryError(image, `it sends clients to "${realm}" for a token`);
  const url = new URL(realm);
  for (const name of ["service", "scope"])
    if (fields.has(name)) url.searchParams.set(name, fields.get(name)!);
  const answer = await ask(url, {}, image);
  const body: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  const { token, access_token: accessToken } = (body ?? {}) as { token?: string; access_token?: string };
  if (token ?? accessToken) return (token ?? accessToken)!;
  throw registryError(image, `${url.host} gives no token`);
}

/** Milliseconds that a registry may take to answer. */
const registryTimeout = 30_000;

/** Sends a request to a registry. Throws if there is no answer. */
async function ask(url: URL, request: RequestInit, image: ImageReference): Promise<Response> {
  trace(`asks ${url.href}`);
  try {
    return await fetch(url, { ...request, signal: AbortSignal.timeout(registryTimeout) });
  } catch (error) {
    const { cause, message } = error as Error;
    throw registryError(image, cause instanceof Error ? cause.message : message);
  }
}

function registryError(image: ImageReference, why: string): TsbuilderError {
  const { tag = "latest" } = image;
  return new TsbuilderError(`the registry of ${imageName(image)}:${tag} gives no digest: ${why}`, {
    code: "REGISTRY_UNREACHABLE",
    hint: "check the image's name and the network; a mirror's name can be used in the Dockerfile",
  });
}
