import { forbidden } from "@tsbuilder/apimachinery/errors";
import type { DeviceClaim } from "@tsbuilder/apimachinery/k8s/resource/v1";
import type { Sent } from "../../contract/sent.ts";
import type { Store } from "../../storage/store.ts";
import type { Problems } from "../checks/problems.ts";

const label = "resource.kubernetes.io/admin-access";

/** Devices that others use are for namespaces with a label; the first request that asks for them is named. */
export function* adminAccess(
  { requests = [] }: Sent<DeviceClaim>,
  namespace: string,
  store: Store,
): Problems {
  const index = requests?.findIndex(({ exactly }) => exactly?.adminAccess === true) ?? -1;
  if (index < 0) return;
  const labels = store.collection("namespaces").get(namespace)?.object.metadata.labels;
  if (labels?.[label] === "true") return;
  const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  yield forbidden(`spec.devices.requests[${index}].adminAccess`, detail);
}
