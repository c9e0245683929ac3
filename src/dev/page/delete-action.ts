import type { Client } from "@tsbuilder/runtime";
import { ActionInput } from "./action-input.ts";
import type { PageAction } from "./page-action.ts";
import { RequestError } from "./request-error.ts";

/** Deletes an object; what it owns follows. One that isn't there is refused, as kubectl does. */
export function deleteAction(client: Client): PageAction {
  return async (input) => {
    const members = new ActionInput(input);
    const [apiVersion, kind] = [members.text("apiVersion"), members.text("kind")];
    const ref = { name: members.text("name"), namespace: members.optionalText("namespace") };
    const found = await client.mapper.kindFor({ apiVersion, kind });
    const existed = await client.delete(found, ref, { propagationPolicy: "Background" });
    if (!existed)
      throw new RequestError(
        404,
        `${[found.plural, found.group].filter(Boolean).join(".")} "${ref.name}" not found`,
      );
    return {};
  };
}
