/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { Manager } from "@tsbuilder/runtime";
import { setupMariaController } from "./controller/maria_controller.ts";
// +tsbuilder:scaffold:imports

// Flags, probes, metrics, leader election and TLS are the library's: `npm run run -- -- --help` lists them.
const manager = Manager.fromArgs({
  name: "maria-operator",
  leaderElectionId: "046227c8.example.com",
});

setupMariaController(manager);
// +tsbuilder:scaffold:setup

// Ends after SIGTERM, once the work in hand is done.
await manager.start();
