import { createSocket } from "node:dgram";
import type { Reader, Runnable } from "@tsbuilder/runtime";
import { nodeAddress } from "../addresses.ts";
import { readQuestion, recordTypes, writeAnswer } from "./dns-message.ts";
import { resolveName } from "./dns-records.ts";

/** The cluster's DNS, for the names of the cluster only. */
export function dnsServer(client: Reader): Runnable {
  return {
    name: "dns",
    needLeaderElection: false,
    start: ({ signal, log }) =>
      new Promise((resolve, reject) => {
        const socket = createSocket("udp4");
        socket.once("error", reject);
        socket.on("message", (message, sender) => {
          answer(client, message)
            .then((reply) => reply && socket.send(reply, sender.port, sender.address))
            .catch((error: unknown) => log.error("Cannot answer", { error }));
        });
        socket.bind(53, nodeAddress);
        signal.addEventListener("abort", () => socket.close(() => resolve()));
      }),
  };
}

async function answer(client: Reader, message: Buffer): Promise<Buffer | undefined> {
  const question = readQuestion(message);
  if (!question) return undefined;
  const answers = await resolveName(client, question.name);
  const wanted = answers?.filter(
    ({ type }) =>
      recordTypes[type] === question.type || (type === "CNAME" && question.type !== recordTypes.SRV),
  );
  return writeAnswer(question, wanted);
}
