import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { TsbuilderError } from "../shared/errors.ts";
import { imageName, parseImageReference } from "./image-reference.ts";
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
    editBase(join(copy, "config/base/kustomization.yaml"), overrides);
    const stdout = await kustomize(join(copy, "config", path)).catch((error: unknown) => {
      throw inProject(error, copy, project);
    });
    return stdout.endsWith("\n") ? stdout : `${stdout}\n`;
  });
}

async function kustomize(folder: string): Promise<string> {
  return (await runTool({ tool: "kubectl", args: ["kustomize", folder] })).stdout;
}

/** An error about the copy, which is gone when somebody reads it, as one about the project. */
function inProject(error: unknown, copy: string, project: string): unknown {
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

function editBase(file: string, { image, namespace }: Overrides): void {
  if (image === undefined && namespace === undefined) return;
  const document = parseDocument(readFileSync(file, "utf8"), { compat: "yaml-1.1" });
  if (namespace !== undefined) document.set("namespace", namespace);
  if (image !== undefined) document.set("images", [imageOverride(image)]);
  writeFileSync(file, String(document));
}

function imageOverride(image: string): Record<string, string> {
  const reference = parseImageReference(image);
  return {
    name: placeholder,
    newName: imageName(reference),
    ...(reference.digest ? { digest: reference.digest } : { newTag: reference.tag ?? "latest" }),
  };
}
