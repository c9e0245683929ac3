import { type Fields, eachOf, fillIn } from "../fill-in.ts";

/** A request is for exactly one device by default. */
export function defaultClaim(spec: unknown): void {
  fillIn(spec, () => ({ devices: {} }));
  fillIn((spec as Fields | undefined)?.["devices"], () => ({ requests: null }));
  for (const request of eachOf((spec as Fields | undefined)?.["devices"], "requests")) {
    const choices = [request["exactly"] as Fields | undefined, ...eachOf(request, "firstAvailable")];
    for (const choice of choices) {
      fillIn(choice, () => ({ allocationMode: "ExactCount" }));
      if (choice?.["allocationMode"] === "ExactCount") choice["count"] ??= 1;
      for (const toleration of eachOf(choice, "tolerations")) toleration["operator"] ??= "Equal";
    }
  }
}
