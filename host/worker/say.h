/* The messages that a worker sends to its parent. */
#pragma once

#include "case/calls.h"
#include "measure/sink.h"
#include "model/model.h"
#include "worker/wire.h"

/* Sets the function that receives all messages of this process; NULL: they are dropped. The functions below may be
 * called from any thread. In a child that a plugin has forked from this process, they send nothing. */
void say_to(wire_taker to, void *user);

int say(enum message_type type, const void *payload, size_t size);
void say_log(const char *plugin, int32_t level, const char *text);
/* Reports that a plugin, while it was loaded or opened, changed something in the process, such as a signal handler. */
void say_changed(const char *text);
void say_finding(const struct finding *finding);
void say_tensor(const struct tensor_desc *tensor);
/* Reports whether a variant is supported. If its callback failed, the message begins with `whose`, the name of the
 * callback: "supports: ". */
void say_support(uint32_t index, const struct outcome *outcome, const char *whose);
extern const struct measure_sink say_sink;
