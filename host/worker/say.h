/* The messages that a worker sends to its parent. */
#pragma once

#include "case/calls.h"
#include "measure/sink.h"
#include "model/model.h"
#include "worker/wire.h"

/* Sets where messages go, also those of services and measurements; NULL: they are dropped. The functions below may be
 * called from any thread, and in a child of this process, whose messages are dropped. */
void say_to(wire_taker to, void *user);

int say(enum message_type type, const void *payload, size_t size);
void say_log(const char *plugin, int32_t level, const char *text);
/* Reports a change that loading or opening a plugin left in the process. */
void say_changed(const char *text);
void say_finding(const struct finding *finding);
void say_tensor(const struct tensor_desc *tensor);
/* Reports whether a variant is supported. `whose` begins the message if its callback failed. */
void say_support(uint32_t index, const struct outcome *outcome, const char *whose);
extern const struct measure_sink say_sink;
