import { createSocket } from "node:dgram";
import { freePort } from "@tsbuilder/apimachinery/port";

/**
 * Finds a TCP port that no other process of these tests is given, either, until this process ends: for servers that
 * bind it seconds later, or stop and start again. What reserves it is the UDP port of the same number, which the
 * operating system gives to one process at a time, and takes back however that ends.
 */
export async function ownPort(find: () => Promise<number> = freePort): Promise<number> {
  for (;;) {
    const port = await find();
    if (await claim(port)) return port;
  }
}

function claim(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4").unref();
    socket.once("error", (error: NodeJS.ErrnoException) => {
      socket.close();
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve(true));
  });
}
