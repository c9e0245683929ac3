import type { Strategy } from "../../../registry/resource.ts";
import { resetNothing } from "../../../registry/default-strategy.ts";
import { type Fields, fillIn } from "../../fill-in.ts";

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

/** A Node may be created with a status. */
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
