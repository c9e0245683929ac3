import { isObject } from "@tsbuilder/apimachinery/json";
import { randomUUID } from "node:crypto";
import { StatusError } from "../../contract/status-error.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { CustomResourceDefinition } from "../../kinds/apiextensions/custom-resource-definition.ts";
import type { ConvertObjects } from "../../custom/custom-versions.ts";
import { currentWriter } from "../../registry/writers.ts";
import { type Caller, type ConversionCall, failureOf, startTiming } from "./call-webhook.ts";

/** Unlike an admission webhook, a conversion webhook can't configure its timeout. */
const timeoutSeconds = 30;

/** The response in a ConversionReview, as a webhook may have sent it. */
interface ConversionResponse {
  uid?: string;
  result?: { status?: string; message?: string };
  convertedObjects?: ApiObject[];
}

/** Converts custom resources to another version with their CRD's conversion webhook. */
export function convertByWebhook({ client, observer }: Caller): ConvertObjects {
  return async (crd, objects, apiVersion) => {
    const uid = randomUUID();
    const review = {
      kind: "ConversionReview",
      apiVersion: "apiextensions.k8s.io/v1",
      request: { uid, desiredAPIVersion: apiVersion, objects },
    };
    const { clientConfig } = crd.spec.conversion!.webhook!;
    const { name: configuration = "" } = crd.metadata;
    const callFields = {
      type: "conversion",
      uid,
      configuration,
      resource: configuration,
      apiVersion,
      objects,
    } as const;
    const timing = observer && startTiming(observer);
    const tell = (end: Pick<ConversionCall, "converted" | "failure">): void =>
      observer?.tell({ ...timing!(), ...callFields, by: currentWriter(), ...end });
    let response: ConversionResponse | undefined;
    try {
      const body = await client.post(clientConfig!, review, timeoutSeconds);
      ({ response } = body as { response?: ConversionResponse });
    } catch (error) {
      tell({ failure: failureOf(error) });
      throw conversionError(crd, objects[0]!, (error as Error).message);
    }
    try {
      const converted = readConverted(crd, objects, apiVersion, uid, response);
      tell({ converted });
      return converted;
    } catch (error) {
      const isRefused = response?.uid === uid && response.result?.status !== "Success";
      tell({ failure: isRefused ? { ...failureOf(error), reason: "Refused" } : failureOf(error) });
      throw error;
    }
  };
}

/** Returns the converted objects, with all other metadata than labels and annotations as it was. Throws if invalid. */
function readConverted(
  crd: CustomResourceDefinition,
  objects: readonly ApiObject[],
  apiVersion: string,
  uid: string,
  response: ConversionResponse | undefined,
): ApiObject[] {
  const fail = (why: string) => conversionError(crd, objects[0]!, why);
  if (!response) throw fail("no response provided");
  if (response.uid !== uid)
    throw fail(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`);
  if (response.result?.status !== "Success")
    throw fail(response.result?.message ?? "the webhook did not report success");
  const converted = response.convertedObjects ?? [];
  if (converted.length !== objects.length)
    throw fail(`webhook returned ${converted.length} objects, expected ${objects.length}`);
  return converted.map((object, index) => {
    if (object.apiVersion !== apiVersion) {
      const reason = `invalid groupVersion, expected ${apiVersion}, got ${object.apiVersion}`;
      throw fail(`webhook returned invalid converted object at index ${index}: ${reason}`);
    }
    // Server-side apply converts parts of objects, and a webhook may return these without metadata.
    const metadata: unknown = object.metadata;
    if (!isObject(metadata)) {
      const why = "returned invalid metadata: missing metadata in converted object";
      throw new StatusError(500, undefined, `${describeWebhook(crd, objects[0]!)} ${why}`);
    }
    // A conversion may change labels and annotations, but no other metadata.
    const { labels, annotations } = object.metadata;
    const { labels: _labels, annotations: _annotations, ...kept } = objects[index]!.metadata;
    return {
      ...object,
      metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) },
    };
  });
}

function conversionError(crd: CustomResourceDefinition, object: ApiObject, why: string): StatusError {
  return new StatusError(500, undefined, `${describeWebhook(crd, object)} failed: ${why}`);
}

function describeWebhook(crd: CustomResourceDefinition, { apiVersion }: ApiObject): string {
  return `conversion webhook for ${apiVersion}, Kind=${crd.spec.names.kind}`;
}
