import type { ApiObject } from "../../../contract/api-object.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";
import { alignFirst, type Fields, fillIn } from "../../fill-in.ts";
import { nodeChangeProblems, nodeProblems } from "./rules.ts";

/** The fields of nodeInfo: Go serializes all of them, even empty ones. */
const info = [
  "machineID",
  "systemUUID",
  "bootID",
  "kernelVersion",
  "osImage",
  "containerRuntimeVersion",
  "kubeletVersion",
  "kubeProxyVersion",
  "operatingSystem",
  "architecture",
];

/** Only a new Node may come with a status. */
export const nodeStrategy: Partial<Strategy> = {
  resetFields(object, old, subresource) {
    if (old) resetStatusAlone(object, old, subresource);
  },
  default(object) {
    const status = (object["status"] ??= {}) as Fields;
    fillIn(status, () => ({ daemonEndpoints: {}, nodeInfo: {} }));
    fillIn(status["daemonEndpoints"], () => ({ kubeletEndpoint: {} }));
    fillIn((status["daemonEndpoints"] as Fields)["kubeletEndpoint"], () => ({ Port: 0 }));
    fillIn(status["nodeInfo"], () => Object.fromEntries(info.map((name) => [name, ""])));
    alignFirst(object["spec"] as Fields | undefined, "podCIDR", "podCIDRs");
    if (status["capacity"] !== undefined) status["allocatable"] ??= { ...(status["capacity"] as Fields) };
  },
  prepareForCreate: dropDynamicConfig,
  prepareForUpdate: dropDynamicConfig,
  validate: (object) => [...nodeProblems(object)],
  validateUpdate: (object, old, { subresource }) => [
    ...(subresource === "status" ? [] : nodeProblems(object)),
    ...nodeChangeProblems(object, old),
  ],
  *warnings(object) {
    const { externalID } = (object["spec"] ?? {}) as Fields;
    if (externalID) yield "spec.externalID: this field is deprecated, and is unused by Kubernetes";
  },
};

/** The server drops the fields of a removed feature. */
function dropDynamicConfig(object: ApiObject): void {
  delete (object["spec"] as Fields | undefined)?.["configSource"];
  delete (object["status"] as Fields | undefined)?.["config"];
}
