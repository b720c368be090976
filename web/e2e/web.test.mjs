// All tests share one server, one browser and a few runs: see sites.mjs.
import "./live.mjs";
import "./audit.mjs";
import "./runs.mjs";
import "./reading.mjs";
import "./hostile.mjs";
import "./access.mjs";
import "./speed.mjs";
