import type { Strategy } from "../../../registry/resource.ts";
import { resetNothing } from "../../../registry/default-strategy.ts";
import { type Fields, fillIn } from "../../fill-in.ts";

/** What a node says of itself; Go prints it all, even of a node that has not said anything yet. */
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

/** Nodes write their status themselves, with the rest. */
export const nodeStrategy: Partial<Strategy> = {
  resetFields: resetNothing,
  default(object) {
    const status = (object["status"] ??= {}) as Fields;
    fillIn(status, () => ({ daemonEndpoints: {}, nodeInfo: {} }));
    fillIn(status["daemonEndpoints"], () => ({ kubeletEndpoint: {} }));
    fillIn((status["daemonEndpoints"] as Fields)["kubeletEndpoint"], () => ({ Port: 0 }));
    fillIn(status["nodeInfo"], () => Object.fromEntries(info.map((name) => [name, ""])));
    if (status["capacity"] !== undefined) status["allocatable"] ??= { ...(status["capacity"] as Fields) };
  },
};
