import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { TsbuilderError } from "../shared/errors.ts";
import { imageName, parseImageReference } from "./image-reference.ts";
import { parseManifest } from "./manifest.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { runTool } from "./tool.ts";

/** Changes to the project's `config/` for a deployment; the files are not touched. */
export interface Overrides {
  readonly image?: string | undefined;
  readonly namespace?: string | undefined;
}

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
    const used = overrides.image === undefined ? undefined : otherImage(rendered, overrides.image);
    if (used === undefined) return rendered;
    // Somebody edited the image in config/manager, or set it there with kustomize.
    const again = await render(imageName(parseImageReference(used)));
    if (otherImage(again, overrides.image!) === undefined) return again;
    throw new TsbuilderError(`config/${path} deploys the image "${used}", and not "${overrides.image}"`, {
      code: "REFUSED",
      hint: `remove the patch or the images in config/${path}/kustomization.yaml that set it`,
    });
  });
}

/** The image of the operator's container, if it is another one than it should be. */
function otherImage(rendered: string, image: string): string | undefined {
  const { newName, newTag, digest } = imageOverride(placeholder, image);
  const wanted = digest === undefined ? `${newName}:${newTag}` : `${newName}@${digest}`;
  // Reading large CRDs takes longer than searching for a line.
  if (rendered.includes(`image: ${wanted}\n`)) return undefined;
  const containers = parseManifest(rendered)
    .filter(({ kind }) => kind === "Deployment")
    .flatMap((deployment) => (deployment as unknown as Deployment).spec.template.spec.containers);
  const used = (containers.find(({ name }) => name === "manager") ?? containers[0])?.image;
  return used === wanted ? undefined : used;
}

interface Deployment {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly name: string;
  readonly image?: string;
}

async function kustomize(folder: string): Promise<string> {
  return (await runTool({ tool: "kubectl", args: ["kustomize", folder] })).stdout;
}

/** An error about a copy, which is gone when somebody reads it, as one about the project. */
export function inProject(error: unknown, copy: string, project: string): unknown {
  if (!(error instanceof TsbuilderError)) return error;
  const { code, cause } = error;
  return new TsbuilderError(error.message.replaceAll(copy, project), {
    code,
    hint: error.hint.replaceAll(copy, project),
    cause,
  });
}

/** The image name in `config/manager/manager.yaml`. */
const placeholder = "controller";

function editBase(file: string, { image, namespace }: Overrides, replaced: string): void {
  if (image === undefined && namespace === undefined) return;
  const document = parseDocument(readFileSync(file, "utf8"), { compat: "yaml-1.1" });
  if (namespace !== undefined) document.set("namespace", namespace);
  if (image !== undefined) {
    const { images = [] } = document.toJS() as { images?: readonly { readonly name: string }[] };
    document.set("images", [
      ...images.filter(({ name }) => name !== replaced),
      imageOverride(replaced, image),
    ]);
  }
  writeFileSync(file, String(document));
}

function imageOverride(name: string, image: string): Record<string, string> {
  const reference = parseImageReference(image);
  return {
    name,
    newName: imageName(reference),
    ...(reference.digest ? { digest: reference.digest } : { newTag: reference.tag ?? "latest" }),
  };
}
