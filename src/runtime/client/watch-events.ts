import type { KubernetesObject, Status } from "@tsbuilder/apimachinery/meta";
import { JsonLines } from "../http/json-lines.ts";
import { ApiError } from "../errors/api-error.ts";
import type { WatchEvent } from "./client.ts";
import { parseAnswer } from "./parse-answer.ts";
import type { RawResponse } from "../http/transport.ts";

/** Opens a watch and yields its events; leaving the loop closes the connection. */
export async function* watchEvents<T extends KubernetesObject>(
  open: () => Promise<RawResponse>,
): AsyncGenerator<WatchEvent<T>> {
  const { stream } = await open();
  if (!stream) return;
  const lines = new JsonLines();
  try {
    for await (const chunk of stream) {
      for (const line of lines.push(chunk as Buffer)) {
        const event = parseAnswer(line, "watch") as WatchEvent<T> | { type: "ERROR"; object: Status };
        if (event.type === "ERROR") throw new ApiError(event.object);
        yield event;
      }
    }
  } finally {
    stream.destroy();
  }
}
