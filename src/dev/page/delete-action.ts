import type { Client } from "@tsbuilder/runtime";
import { ActionInput } from "./action-input.ts";
import type { PageAction } from "./page-action.ts";

/** Deletes an object; what it owns follows. */
export function deleteAction(client: Client): PageAction {
  return async (input) => {
    const members = new ActionInput(input);
    const [apiVersion, kind] = [members.text("apiVersion"), members.text("kind")];
    const ref = { name: members.text("name"), namespace: members.optionalText("namespace") };
    const found = await client.mapper.kindFor({ apiVersion, kind });
    return { existed: await client.delete(found, ref, { propagationPolicy: "Background" }) };
  };
}
