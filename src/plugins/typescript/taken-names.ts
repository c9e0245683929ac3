import { isSameResource, noWebhooks, type Project, type Resource } from "../../project/project.ts";
import { renderPart } from "../../scaffold/blueprint.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { createApi, createWebhook } from "./create-api.ts";

/**
 * Refuses a kind whose name, or that of its spec or status, the code that is scaffolded for it has for something else: what a
 * template imports, declares, or uses of JavaScript. For a new kind, that of a controller and of webhooks counts, which may come
 * later. `project` has the resource with its controllers.
 */
export function refuseTakenName(
  project: Project,
  resource: Resource,
  { isNew }: { readonly isNew: boolean },
): void {
  const { kind } = resource;
  const words = wordsAround(project, resource, { isNew });
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
function wordsAround(
  project: Project,
  resource: Resource,
  { isNew }: { readonly isNew: boolean },
): ReadonlySet<string> {
  const renamed = project.resources
    .filter((one) => isSameResource(one, resource))
    .map((one) => ({ ...(isNew ? withAll(one) : one), kind: unusedKind }));
  const others = project.resources.filter((one) => !isSameResource(one, resource));
  const inputs = { boilerplate: "", packages: { runtime: "", cluster: "", simulation: "", tsbuilder: "" } };
  return new Set(
    renamed
      .flatMap((one) => {
        const after = { ...project, resources: [...others, one] };
        return [createApi(after, one, inputs), createWebhook(after, one, inputs)];
      })
      .flatMap(({ parts }) => parts)
      .flatMap((part) => renderPart(part))
      .filter(({ path }) => path.endsWith(".ts"))
      .flatMap(({ content }) => content.replace(commentsAndStrings, "").match(/\b[A-Z]\w*/gu) ?? []),
  );
}

/** Adds what later commands may scaffold for a kind. */
function withAll(resource: Resource): Resource {
  const { controllers, version } = resource;
  return {
    ...resource,
    controllers: controllers.length > 0 ? controllers : [{ name: "later" }],
    webhooks: { ...noWebhooks, defaulting: true, validation: true, spokes: [version] },
  };
}

/** A valid kind that no template has. */
const unusedKind = "Q0";

const commentsAndStrings = /\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"/gu;
