/*
 * Stands in for the library's module that loads onnxruntime-node, and keeps the one thing that it does
 * besides: on Windows the runtime would report its use to Microsoft.
 */
process.env.ORT_DISABLE_TELEMETRY = '1';
module.exports = {};
