import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { admissionRequest } from "../../registry/create-object.ts";
import { removeDuplicateOwners } from "../../registry/owner-references.ts";
import type { Write } from "../../registry/write.ts";
import type { ApiObject } from "../../contract/api-object.ts";

/** Passes a body that is posted to a subresource through admission: a Binding, an Eviction, a TokenRequest. */
export async function admitBody(write: Write, sent: ApiObject): Promise<ApiObject> {
  const { admission } = write.core;
  removeDuplicateOwners(write, sent, "client");
  const kind = write.resource.subresources.get(write.subresource)?.body;
  const body = kind ? { ...sent, kind: kind.kind, apiVersion: apiVersionOf(kind) } : sent;
  const admitted = (await admission.mutate(admissionRequest(write, "CREATE", body)))!;
  await admission.validate(admissionRequest(write, "CREATE", admitted));
  return admitted;
}
