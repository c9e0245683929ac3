import { isObject } from "@tsbuilder/apimachinery/json";
import { type Kind, type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { isProgrammingError } from "../callbacks/callbacks.ts";
import { HttpError } from "../serve/http-listener.ts";
import type { Conversion, ConvertedObject } from "./webhooks.ts";

/** The versions of one kind that are converted here, all through the hub. */
export interface ConvertedKind {
  readonly hub: Kind;
  /** By apiVersion. */
  readonly spokes: Map<string, Conversion<KubernetesObject, KubernetesObject>>;
}

/** Kinds by group and name, as in `group/Kind`. */
export type ConvertedKinds = ReadonlyMap<string, ConvertedKind>;

/** The key of a kind in `ConvertedKinds`. */
export function convertedKindName(apiVersion: string, kind: string): string {
  return `${parseApiVersion(apiVersion).group}/${kind}`;
}

const reviewVersion = "apiextensions.k8s.io/v1";

/** Answers a ConversionReview: all objects in order, or a failure. `onFailure` is called with the reason. */
export function convertReview(
  kinds: ConvertedKinds,
  body: unknown,
  onFailure: (error: unknown) => void,
): object {
  const { apiVersion, kind, request } = (body ?? {}) as {
    apiVersion?: string;
    kind?: string;
    request?: { uid?: string; desiredAPIVersion?: string; objects?: readonly KubernetesObject[] };
  };
  if (
    kind !== "ConversionReview" ||
    apiVersion !== reviewVersion ||
    !request?.uid ||
    !request.desiredAPIVersion ||
    !Array.isArray(request.objects) ||
    !request.objects.every((object?: Partial<KubernetesObject> | null) => isObject(object?.metadata))
  )
    throw new HttpError(400, `a ConversionReview of ${reviewVersion} with objects is expected`);
  const { uid, desiredAPIVersion, objects } = request;
  const answer = (response: object) => ({ apiVersion, kind, response: { uid, ...response } });
  try {
    const convertedObjects = objects.map((object) => convertObject(kinds, object, desiredAPIVersion));
    return answer({ convertedObjects, result: { status: "Success" } });
  } catch (error) {
    onFailure(error);
    const message = isProgrammingError(error)
      ? "the conversion failed; the log of the webhook says why"
      : (error as Error).message;
    return answer({ convertedObjects: [], result: { status: "Failure", message } });
  }
}

/** Converts one object through the hub. Throws if no conversion is registered for its version or the desired one. */
export function convertObject(
  kinds: ConvertedKinds,
  object: KubernetesObject,
  desired: string,
): KubernetesObject {
  if (object.apiVersion === desired) return object;
  const convertedKind = kinds.get(convertedKindName(object.apiVersion, object.kind));
  if (!convertedKind) throw new Error(`no conversion is registered for ${object.apiVersion} ${object.kind}`);
  const { hub, spokes } = convertedKind;
  const spokeFor = (apiVersion: string) => {
    const spoke = spokes.get(apiVersion);
    if (!spoke)
      throw new Error(
        `no conversion is registered between ${apiVersion} and ${hub.apiVersion} of ${hub.kind}`,
      );
    return spoke;
  };
  const atHub =
    object.apiVersion === hub.apiVersion
      ? object
      : completeConverted(spokeFor(object.apiVersion).toHub(structuredClone(object)), hub.apiVersion, object);
  if (desired === hub.apiVersion) return atHub;
  return completeConverted(spokeFor(desired).fromHub(structuredClone(atHub)), desired, atHub);
}

/** Sets the fields that conversion functions omit: apiVersion, kind, and metadata unless it was converted. */
export function completeConverted(
  { metadata, ...rest }: ConvertedObject<KubernetesObject>,
  apiVersion: string,
  source: KubernetesObject,
): KubernetesObject {
  return { ...rest, apiVersion, kind: source.kind, metadata: metadata ?? source.metadata };
}
