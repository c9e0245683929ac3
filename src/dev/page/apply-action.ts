import { isObject } from "@tsbuilder/apimachinery/json";
import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";
import type { ManifestObject } from "../../ship/manifest.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { hiddenValue, hideSecret } from "../hide-secret.ts";
import { pageAgent } from "../record/recorded.ts";
import { ActionInput } from "./action-input.ts";
import type { PageAction } from "./page-action.ts";

/**
 * Writes an object as it was edited: what is missing from it is removed, except for its status. With a resourceVersion it
 * is refused if the object has changed since. One that is not there, or not any more, is created.
 */
export function applyAction(client: Client, defaultNamespace: string): PageAction {
  return async (input) => {
    const members = new ActionInput(input);
    const options = {
      fieldManager: pageAgent,
      dryRun: members.flag("dryRun"),
      fieldValidation: "Strict",
    } as const;
    const object = readObject(members.text("object"));
    refuseHidden(object);
    const kind = await client.mapper.kindFor(object);
    const placed = place(object, kind, defaultNamespace);
    const { name, namespace } = placed.metadata;
    const current = await client.find(kind, { name: name!, namespace }, { live: true });
    const written = current
      ? await client.update(
          kind,
          withStatus(withVersion(placed, current.metadata.resourceVersion), current),
          options,
        )
      : await client.create(kind, asNew(placed), options);
    return { object: hideSecret(written) };
  };
}

function readObject(text: string): KubernetesObject {
  const [object, ...others] = readYaml("the object", text, hint).filter((each) => each !== null);
  if (others.length > 0) throw new TsbuilderError("there is more than one object", hint);
  const { apiVersion, kind, metadata } = isObject(object) ? object : {};
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isObject(metadata))
    throw new TsbuilderError("an object needs apiVersion, kind and metadata", hint);
  if (typeof metadata["name"] !== "string") throw new TsbuilderError("the object has no metadata.name", hint);
  return object as KubernetesObject;
}

const hint = { code: "INVALID_ARGUMENT", hint: "write one object in YAML" } as const;

/** What a page shows of a Secret must not become its values. */
function refuseHidden(object: KubernetesObject): void {
  if (object.kind !== "Secret") return;
  const { data, stringData } = object as KubernetesObject &
    Partial<Record<"data" | "stringData", object | null>>;
  const hidden = [...Object.entries(data ?? {}), ...Object.entries(stringData ?? {})].filter(
    ([, value]) => value === hiddenValue,
  );
  if (hidden.length === 0) return;
  throw new TsbuilderError(
    `the Secret's values are not shown here: ${hidden.map(([key]) => key).join(", ")}`,
    {
      code: "REFUSED",
      hint: "set all of them under stringData, or use kubectl edit",
    },
  );
}

/** Managed fields are the server's. */
function place(object: KubernetesObject, { scope }: Kind, defaultNamespace: string): KubernetesObject {
  const { managedFields: _, namespace = defaultNamespace, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(scope === "Namespaced" && { namespace }) } };
}

function withVersion(object: KubernetesObject, resourceVersion: string | undefined): KubernetesObject {
  return {
    ...object,
    metadata: { ...(resourceVersion !== undefined && { resourceVersion }), ...object.metadata },
  };
}

/** Kinds without the subresource would lose it. */
function withStatus(object: KubernetesObject, current: KubernetesObject): KubernetesObject {
  const { status } = current as KubernetesObject & { readonly status?: unknown };
  return status === undefined ? object : Object.assign({ status }, object);
}

/** It gets a uid of its own. */
function asNew({ apiVersion, kind, metadata, ...rest }: KubernetesObject): ManifestObject {
  const { resourceVersion: _, uid: __, name = "", ...others } = metadata;
  return { apiVersion, kind, metadata: { ...others, name }, ...rest };
}
