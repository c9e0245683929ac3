import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { createJSONPatch } from "@tsbuilder/apimachinery/patch";
import { completeConverted } from "../webhook/convert.ts";
import type { AdmissionContext, AdmissionRequest, Conversion, ConvertedObject } from "../webhook/webhooks.ts";
import { silentLogger } from "./reconcile-context.ts";

/** A webhook's context in a test, with the warnings that it returned. */
export interface TestAdmissionContext<Body extends object = KubernetesObject> extends AdmissionContext<Body> {
  readonly warnings: readonly string[];
}

/**
 * Creates a context for calling a `Defaulter`, a `Validator` or an `AdmissionWebhook`, as for a user's `kubectl
 * create`. The fields of the request can be set.
 */
export function admissionContext<Body extends object = KubernetesObject>(
  request: Partial<AdmissionRequest<Body>> = {},
): TestAdmissionContext<Body> {
  const warnings: string[] = [];
  return {
    warnings,
    warn: (text) => void warnings.push(text),
    log: silentLogger,
    signal: new AbortController().signal,
    request: {
      uid: "00000000-0000-4000-8000-000000000000",
      operation: "CREATE",
      kind: { group: "example.com", version: "v1", kind: "Example" },
      resource: { group: "example.com", version: "v1", resource: "examples" },
      name: "example",
      namespace: "default",
      userInfo: { username: "test-user", groups: ["system:authenticated"] },
      ...request,
    },
  };
}

/**
 * Converts objects to the hub and back, and the results to the spoke and back. Throws if one came back changed: the API
 * server stores one version, so what a conversion loses is lost for good. Pass samples, or objects from fast-check.
 */
export function checkRoundTrip<Hub extends KubernetesObject, Spoke extends KubernetesObject>(
  conversion: Conversion<Hub, Spoke>,
  ...spokes: readonly Spoke[]
): void {
  for (const spoke of spokes) {
    const hub = withMetadata(conversion.toHub(structuredClone(spoke)), spoke);
    const spokeAgain = withMetadata(conversion.fromHub(structuredClone(hub)), spoke);
    assertEqual(spoke, spokeAgain, `${spoke.apiVersion} ${spoke.kind} by way of the hub`);
    const hubAgain = withMetadata(conversion.toHub(structuredClone(spokeAgain)), spoke);
    assertEqual(hub, hubAgain, `the hub of ${spoke.kind} by way of ${spoke.apiVersion}`);
  }
}

function withMetadata<T extends KubernetesObject>(
  converted: ConvertedObject<T>,
  source: KubernetesObject,
): T {
  return completeConverted(converted, source.apiVersion, source) as T;
}

function assertEqual(before: KubernetesObject, after: KubernetesObject, description: string): void {
  // Undefined fields are not sent.
  const sent = (object: KubernetesObject) => JSON.parse(JSON.stringify(object)) as object;
  const differences = createJSONPatch(sent(before), sent(after));
  if (differences.length > 0)
    throw new Error(`${description} came back changed: ${JSON.stringify(differences)}`);
}
