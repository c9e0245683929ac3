import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDocument } from "yaml";
import { TsbuilderError } from "../shared/errors.ts";
import { imageName, parseImageReference } from "./images/image-reference.ts";
import { type ManifestObject, parseManifest } from "./manifest.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { runTool } from "./tool.ts";
import type { FileChange } from "../scaffold/tree.ts";

/** Changes to the project's `config/` for a deployment; the files are not touched. */
export interface Overrides {
  readonly image?: string | undefined;
  readonly namespace?: string | undefined;
}

/** The image name in `config/manager/manager.yaml`, unless somebody changed it. */
const placeholderImage = "controller";

/**
 * Renders one of the project's kustomizations. Image and namespace are set in a copy of `config/`: an overlay on top
 * would apply after the replacements that write DNS names and CA annotations, and leave the old namespace in them.
 */
export async function renderConfig(
  project: string,
  path: string,
  overrides: Overrides = {},
): Promise<string> {
  const config = join(project, "config");
  if (!existsSync(join(config, path, "kustomization.yaml"))) {
    throw new TsbuilderError(`"config/${path}/kustomization.yaml" not found`, {
      code: "NOT_FOUND",
      hint:
        path === "crd"
          ? "the project has no CRDs yet: define a kind with tsbuilder create api"
          : "restore it from version control: git checkout config",
    });
  }
  return withTemporaryFolder("tsbuilder-config-", async (copy) => {
    cpSync(config, join(copy, "config"), { recursive: true });
    const render = async (replaced: string): Promise<string> => {
      editBase(join(copy, "config/base/kustomization.yaml"), overrides, replaced);
      const stdout = await kustomize(join(copy, "config", path)).catch((error: unknown) => {
        throw withProjectPaths(error, copy, project);
      });
      return stdout.endsWith("\n") ? stdout : `${stdout}\n`;
    };
    const rendered = await render(placeholderImage);
    if (overrides.image === undefined) return rendered;
    const wanted = renderedReference(overrides.image);
    const first = findOperatorContainer(rendered, path, wanted);
    if (first.image === wanted) return rendered;
    // Somebody edited the image in config/manager, or set it there with kustomize.
    const name = imageName(parseImageReference(first.image));
    refuseSharedName(first, name, wanted);
    const renamed = await render(name);
    const second = findOperatorContainer(renamed, path, wanted);
    if (second.image === wanted) return renamed;
    const message = `config/${path} deploys the image "${second.image}", and not "${wanted}"`;
    throw refusal(message, `remove the patch or the images in config/${path}/kustomization.yaml that set it`);
  });
}

/** The reference that kustomize writes for an image: a digest replaces the tag. */
function renderedReference(image: string): string {
  const { newName, newTag, digest } = imageOverride(placeholderImage, image);
  return digest === undefined ? `${newName}:${newTag}` : `${newName}@${digest}`;
}

interface Container {
  readonly name: string;
  readonly image: string;
}

interface OperatorContainer extends Container {
  /** All other containers that are rendered, those of other workloads included. */
  readonly others: readonly Container[];
}

/** Finds the operator's container: "manager", or the only one, of the Deployment in `config/manager/manager.yaml`. */
function findOperatorContainer(rendered: string, path: string, wanted: string): OperatorContainer {
  // CRDs contain no containers, and take long to parse.
  const documents = rendered
    .split(/^---$/mu)
    .filter((text) => !/^kind: CustomResourceDefinition$/mu.test(text));
  const objects = parseManifest(documents.join("---"));
  const deployments = objects.filter(
    ({ kind, metadata }) => kind === "Deployment" && /(?:^|-)controller-manager$/u.test(metadata.name),
  );
  const [deployment, second] = deployments;
  if (!deployment) {
    throw refusal(
      `config/${path} has no Deployment "controller-manager", in which "${wanted}" could be set`,
      "keep its name in config/manager/manager.yaml; a namePrefix in config/base/kustomization.yaml may precede it",
    );
  }
  if (second) {
    throw refusal(
      `config/${path} has several Deployments "controller-manager": ${quoteNames(deployments.map(({ metadata }) => metadata))}`,
      "rename those that are not the operator's",
    );
  }
  const described = `Deployment "${deployment.metadata.name}"`;
  const containers = containersIn(deployment, ["containers"]);
  const manager = containers.find(({ name }) => name === "manager") ?? containers[0];
  if (!manager || (manager.name !== "manager" && containers.length > 1)) {
    const message = `${described} has no container "manager", but ${quoteNames(containers)}`;
    throw refusal(message, 'name the operator\'s container "manager" in config/manager/manager.yaml');
  }
  const { name = "", image } = manager;
  if (image === undefined) {
    const message = `container "${name}" of ${described} has no image`;
    throw refusal(message, `set "image: ${placeholderImage}:latest" in config/manager/manager.yaml`);
  }
  const others = containersIn(objects, ["containers", "initContainers"]).filter(
    (other): other is Container => other !== manager && other.image !== undefined,
  );
  return { name, image, others };
}

/** Throws if other containers have the operator's image: kustomize replaces an image by its name, in all containers. */
function refuseSharedName({ others }: OperatorContainer, name: string, wanted: string): void {
  const sameImage = others.find(
    ({ image }) => image.startsWith(name) && /^(?::[^/]*)?(?:@.*)?$/u.test(image.slice(name.length)),
  );
  if (!sameImage) return;
  throw refusal(
    `container "${sameImage.name}" has the image "${sameImage.image}", which would be replaced by "${wanted}", too`,
    `set "image: ${placeholderImage}:latest" in config/manager/manager.yaml: then only containers with this image are changed`,
  );
}

/** Returns the containers in a value, however deep, that are in lists with one of these names. */
function containersIn(value: unknown, fields: readonly string[]): Partial<Container>[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) =>
    fields.includes(key) && Array.isArray(child)
      ? (child as Partial<Container>[])
      : containersIn(child, fields),
  );
}

function quoteNames(named: readonly { readonly name?: string }[]): string {
  return named.map(({ name }) => `"${name}"`).join(", ");
}

function refusal(message: string, hint: string): TsbuilderError {
  return new TsbuilderError(message, { code: "REFUSED", hint });
}

async function kustomize(folder: string): Promise<string> {
  return (await runTool({ tool: "kubectl", args: ["kustomize", folder] })).stdout;
}

/** Rewrites the paths in an error about a temporary copy to those of the project. */
export function withProjectPaths(error: unknown, copy: string, project: string): unknown {
  if (!(error instanceof TsbuilderError)) return error;
  const { code, cause } = error;
  return new TsbuilderError(error.message.replaceAll(copy, project), {
    code,
    hint: error.hint.replaceAll(copy, project),
    cause,
  });
}

/** Sets image and namespace in a kustomization. `replaced` is the name of the image that kustomize is to replace. */
function editBase(file: string, { image, namespace }: Overrides, replaced: string): void {
  if (image === undefined && namespace === undefined) return;
  const document = parseDocument(readFileSync(file, "utf8"), {
    compat: "yaml-1.1",
    logLevel: "error",
    stringKeys: true,
  });
  const kustomization: unknown = document.errors.length > 0 ? undefined : (document.toJS() ?? {});
  // Kustomize reports what is wrong with the file.
  if (!isKustomization(kustomization)) return;
  if (namespace !== undefined) document.set("namespace", namespace);
  if (image !== undefined) {
    document.set("images", [
      ...(kustomization.images ?? []).filter((entry) => entry?.name !== replaced),
      imageOverride(replaced, image),
    ]);
  }
  writeFileSync(file, String(document));
}

/** The field of a kustomization that is edited. */
interface Kustomization {
  readonly images?: readonly ({ readonly name?: string } | null)[] | null;
}

function isKustomization(value: unknown): value is Kustomization {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { images } = value as { images?: unknown };
  return images === undefined || images === null || Array.isArray(images);
}

/** Returns the entry of a kustomization's `images` that replaces an image by name. */
function imageOverride(name: string, image: string): Record<string, string> {
  const reference = parseImageReference(image);
  return {
    name,
    newName: imageName(reference),
    ...(reference.digest ? { digest: reference.digest } : { newTag: reference.tag ?? "latest" }),
  };
}

/** Renders one of the project's kustomizations with changes that are not written to the project. */
export async function renderChanged(
  project: string,
  path: string,
  changes: readonly FileChange[],
  overrides: Overrides,
): Promise<ManifestObject[]> {
  return withTemporaryFolder("tsbuilder-changed-", async (copy) => {
    cpSync(join(project, "config"), join(copy, "config"), { recursive: true });
    for (const change of changes) {
      if (!change.path.startsWith("config/")) continue;
      const { content } = change;
      const file = join(copy, change.path);
      mkdirSync(dirname(file), { recursive: true });
      if (content === undefined) rmSync(file, { force: true });
      else writeFileSync(file, content);
    }
    const rendered = await renderConfig(copy, path, overrides).catch((error: unknown) => {
      throw withProjectPaths(error, copy, project);
    });
    return parseManifest(rendered);
  });
}
