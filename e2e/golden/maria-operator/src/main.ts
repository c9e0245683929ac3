/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { Manager } from "@tsbuilder/runtime";
import { setupMariaController } from "./controller/maria_controller.ts";
// +tsbuilder:scaffold:imports

// The library provides flags (`npm run build && npm start -- --help`), probes, metrics, leader election and TLS.
const manager = Manager.fromArgs({
  name: "maria-operator",
  leaderElectionId: "046227c8.example.com",
});

setupMariaController(manager);
// +tsbuilder:scaffold:setup

// Resolves after SIGTERM, once running reconciles have finished.
await manager.start();
