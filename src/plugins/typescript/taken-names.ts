import { isSameResource, type Project, type Resource } from "../../project/project.ts";
import { renderPart } from "../../scaffold/blueprint.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { createApi } from "./create-api.ts";

/**
 * Refuses a kind whose name, or that of its spec or status, the code that is scaffolded for it has for something else: what a
 * template imports, declares, or uses of JavaScript. `project` has the resource with its controllers.
 */
export function refuseTakenName(
  project: Project,
  resource: Resource,
  { isNew }: { readonly isNew: boolean },
): void {
  const { kind } = resource;
  const words = wordsAround(project, resource);
  const taken = [kind, `${kind}Spec`, `${kind}Status`].find((name) => words.has(name));
  if (taken === undefined) return;
  throw new TsbuilderError(`the kind "${kind}" is not valid here: the scaffolded code has another ${taken}`, {
    code: "INVALID_NAME",
    hint: isNew
      ? `choose another name, for example --kind App${kind}`
      : `write this code by hand, and import one ${taken} under another name`,
  });
}

/** The names in the code that is scaffolded for a kind, but for those that are made from the kind's. */
function wordsAround(project: Project, resource: Resource): ReadonlySet<string> {
  const renamed = project.resources
    .filter((one) => isSameResource(one, resource))
    .map((one) => ({ ...one, kind: unusedKind }));
  const others = project.resources.filter((one) => !isSameResource(one, resource));
  const inputs = { boilerplate: "", packages: { runtime: "", cluster: "", simulation: "", tsbuilder: "" } };
  return new Set(
    renamed
      .flatMap((one) => createApi({ ...project, resources: [...others, one] }, one, inputs).parts)
      .flatMap((part) => renderPart(part))
      .filter(({ path }) => path.endsWith(".ts"))
      .flatMap(({ content }) => content.replace(commentsAndStrings, "").match(/\b[A-Z]\w*/gu) ?? []),
  );
}

/** A valid kind that no template has. */
const unusedKind = "Q0";

const commentsAndStrings = /\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"/gu;
