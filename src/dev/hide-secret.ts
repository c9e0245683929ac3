import type { KubernetesObject } from "@tsbuilder/runtime";

/** What is shown instead of the values of a Secret. */
export const hiddenValue = "(not shown)";

/** An object, of a Secret without its values. Which keys it has stays: it is what one looks for. */
export function hideSecret(object: KubernetesObject): KubernetesObject {
  if (object.kind !== "Secret") return object;
  const { data = {}, stringData: _, metadata, ...secret } = object as KubernetesObject & Data;
  // kubectl apply writes the data here, too.
  const { [lastApplied]: __, ...annotations } = metadata.annotations ?? {};
  const hidden = Object.fromEntries(Object.keys(data).map((key) => [key, hiddenValue]));
  return { ...secret, metadata: { ...metadata, annotations }, data: hidden } as KubernetesObject;
}

interface Data {
  readonly data?: object;
  readonly stringData?: object;
}

/** The annotation with what `kubectl apply` has sent. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
