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

/** The image name in `config/manager/manager.yaml`. */
const placeholder = "controller";

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
        throw inProject(error, copy, project);
      });
      return stdout.endsWith("\n") ? stdout : `${stdout}\n`;
    };
    const rendered = await render(placeholder);
    if (overrides.image === undefined) return rendered;
    const wanted = writtenImage(overrides.image);
    const before = operatorContainer(rendered, path, wanted);
    if (before.image === wanted) return rendered;
    // Somebody edited the image in config/manager, or set it there with kustomize.
    const name = imageName(parseImageReference(before.image));
    refuseSharedName(before, name, wanted);
    const again = await render(name);
    const after = operatorContainer(again, path, wanted);
    if (after.image === wanted) return again;
    const message = `config/${path} deploys the image "${after.image}", and not "${wanted}"`;
    throw refusal(message, `remove the patch or the images in config/${path}/kustomization.yaml that set it`);
  });
}

/** The reference that kustomize writes for an image: a digest replaces the tag. */
function writtenImage(image: string): string {
  const { newName, newTag, digest } = imageOverride(placeholder, image);
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
function operatorContainer(rendered: string, path: string, wanted: string): OperatorContainer {
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
      `config/${path} has several Deployments "controller-manager": ${quoted(deployments.map(({ metadata }) => metadata))}`,
      "rename those that are not the operator's",
    );
  }
  const described = `Deployment "${deployment.metadata.name}"`;
  const containers = containersIn(deployment, ["containers"]);
  const manager = containers.find(({ name }) => name === "manager") ?? containers[0];
  if (!manager || (manager.name !== "manager" && containers.length > 1)) {
    const message = `${described} has no container "manager", but ${quoted(containers)}`;
    throw refusal(message, 'name the operator\'s container "manager" in config/manager/manager.yaml');
  }
  const { name = "", image } = manager;
  if (image === undefined) {
    const message = `container "${name}" of ${described} has no image`;
    throw refusal(message, `set "image: ${placeholder}:latest" in config/manager/manager.yaml`);
  }
  const others = containersIn(objects, ["containers", "initContainers"]).filter((each) => each !== manager);
  return { name, image, others: others.filter((each): each is Container => each.image !== undefined) };
}

/** Throws if other containers have the operator's image: kustomize replaces an image by its name, in all containers. */
function refuseSharedName({ others }: OperatorContainer, name: string, wanted: string): void {
  const sharing = others.find(
    ({ image }) => image.startsWith(name) && /^(?::[^/]*)?(?:@.*)?$/u.test(image.slice(name.length)),
  );
  if (!sharing) return;
  throw refusal(
    `container "${sharing.name}" has the image "${sharing.image}", which would be replaced by "${wanted}", too`,
    `set "image: ${placeholder}:latest" in config/manager/manager.yaml: then only containers with this image are changed`,
  );
}

function containersIn(value: unknown, fields: readonly string[]): Partial<Container>[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) =>
    fields.includes(key) && Array.isArray(child)
      ? (child as Partial<Container>[])
      : containersIn(child, fields),
  );
}

function quoted(named: readonly { readonly name?: string }[]): string {
  return named.map(({ name }) => `"${name}"`).join(", ");
}

function refusal(message: string, hint: string): TsbuilderError {
  return new TsbuilderError(message, { code: "REFUSED", hint });
}

async function kustomize(folder: string): Promise<string> {
  return (await runTool({ tool: "kubectl", args: ["kustomize", folder] })).stdout;
}

/** Rewrites the paths in an error about a temporary copy to those of the project. */
export function inProject(error: unknown, copy: string, project: string): unknown {
  if (!(error instanceof TsbuilderError)) return error;
  const { code, cause } = error;
  return new TsbuilderError(error.message.replaceAll(copy, project), {
    code,
    hint: error.hint.replaceAll(copy, project),
    cause,
  });
}

function editBase(file: string, { image, namespace }: Overrides, replaced: string): void {
  if (image === undefined && namespace === undefined) return;
  const document = parseDocument(readFileSync(file, "utf8"), { compat: "yaml-1.1" });
  const fields: unknown = document.errors.length > 0 ? undefined : (document.toJS() ?? {});
  // Kustomize reports what is wrong with the file.
  if (!isFields(fields)) return;
  if (namespace !== undefined) document.set("namespace", namespace);
  if (image !== undefined) {
    document.set("images", [
      ...(fields.images ?? []).filter((each) => each?.name !== replaced),
      imageOverride(replaced, image),
    ]);
  }
  writeFileSync(file, String(document));
}

interface Fields {
  readonly images?: readonly ({ readonly name?: string } | null)[] | null;
}

function isFields(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { images } = value as { images?: unknown };
  return images === undefined || images === null || Array.isArray(images);
}

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
      throw inProject(error, copy, project);
    });
    return parseManifest(rendered);
  });
}
