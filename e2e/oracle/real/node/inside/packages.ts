import { nodeAddress } from "../addresses.ts";
import { packageRegistry, packageRegistrySocket } from "../package-registry.ts";
import { startRelay } from "../relay.ts";

// Lets builds inside of a sandbox reach the machine's npm registry. Its argument is the sandbox's folder.

const [folder = ""] = process.argv.slice(2);
await startRelay({ host: nodeAddress, port: packageRegistry.port }, { path: packageRegistrySocket(folder) });
