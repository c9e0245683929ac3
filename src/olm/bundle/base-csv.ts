import { type Document, parseDocument } from "yaml";
import type { Project } from "../../project/project.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { type Part, renderPart } from "../../scaffold/blueprint.ts";
import type { Draft } from "../../scaffold/tree.ts";
import { type InstallMode, installModes } from "../bundle-format.ts";

/** The description of an operator in catalogs. An undefined field leaves the base as it is. */
export interface Presentation {
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly provider?: { readonly name: string; readonly url?: string } | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly maintainers?: readonly { readonly name: string; readonly email: string }[] | undefined;
  readonly icon?: { readonly base64data: string; readonly mediatype: string } | undefined;
  readonly replaces?: string | undefined;
  readonly skips?: readonly string[] | undefined;
  readonly minKubeVersion?: string | undefined;
  readonly skipRange?: string | undefined;
}

/** The kustomization below `config/` of the base ClusterServiceVersion and the deployment. */
export const manifestsKustomization = "manifests";

export function basePath(project: Project): string {
  return `config/${manifestsKustomization}/bases/${project.projectName}.clusterserviceversion.yaml`;
}

/** The base ClusterServiceVersion and its kustomization. Both are the user's own files. */
export function basePart(project: Project): Part {
  const { projectName, owner } = project;
  const context = { projectName, provider: JSON.stringify(owner || projectName) };
  return { key: "olm/base", templates: "olm/base", context };
}

const yamlFormat = { lineWidth: 0 } as const;

/** Adds the base to a draft if it is missing, and sets the fields that flags name. The rest is kept, with its comments. */
export function planBase(draft: Draft, project: Project, presentation: Presentation): void {
  const path = basePath(project);
  const isNew = !draft.has(path);
  for (const { path: file, content } of renderPart(basePart(project)))
    if (!draft.has(file)) draft.write(file, content);
  const text = draft.read(path)!;
  // Throws with the position if the file is not YAML; parseDocument() doesn't throw.
  readYaml(path, text);
  const document = parseDocument(text, { compat: "yaml-1.1" });
  const before = document.toString(yamlFormat);
  if (isNew) setModes(document, installModesFor(project));
  setPresentation(document, presentation);
  const after = document.toString(yamlFormat);
  if (after !== before) draft.write(path, after);
}

function setPresentation(document: Document, presentation: Presentation): void {
  const { skipRange, icon, provider, ...fields } = presentation;
  for (const [field, value] of Object.entries({ ...fields, provider, icon: icon && [icon] }))
    if (value !== undefined)
      // A comment behind a text survives only if the text is set, and not a new node.
      document.setIn(["spec", field], typeof value === "string" ? value : document.createNode(value));
  if (skipRange !== undefined) document.setIn(["metadata", "annotations", "olm.skipRange"], skipRange);
}

function setModes(document: Document, supported: ReadonlySet<InstallMode>): void {
  const modes = installModes.map((type) => ({ type, supported: supported.has(type) }));
  document.setIn(["spec", "installModes"], document.createNode(modes));
}

/** Returns the install modes of a new base. OLM installs a conversion webhook only for all namespaces. */
function installModesFor({ namespaced, resources }: Project): ReadonlySet<InstallMode> {
  const hasConversion = resources.some(({ webhooks }) => webhooks.spokes !== undefined);
  if (!namespaced || hasConversion) return new Set(["AllNamespaces"]);
  return new Set(["OwnNamespace", "SingleNamespace", "MultiNamespace"]);
}
