/* What a worker says to its parent. */
#ifndef WORKER_SAY_H
#define WORKER_SAY_H

#include "case/calls.h"
#include "measure/sink.h"
#include "model/model.h"
#include "worker/wire.h"

/* From now on what is said goes there, also by services and by what is measured; NULL: nowhere. What follows may be
 * called from any thread, also of a child of this process, whose words are dropped. */
void say_to(wire_taker to, void *user);

int say(enum message_type type, const void *payload, size_t size);
void say_log(const char *plugin, int32_t level, const char *text);
/* What loading or opening a plugin has left changed. */
void say_changed(const char *text);
void say_finding(const struct finding *finding);
void say_tensor(const struct tensor_desc *tensor);
/* `whose` begins the sentence of one that is broken. */
void say_support(uint32_t index, const struct outcome *outcome, const char *whose);
extern const struct measure_sink say_sink;

#endif
