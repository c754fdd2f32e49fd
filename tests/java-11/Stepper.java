import com.sun.jdi.Bootstrap;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.StepEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.StepRequest;
import java.io.FileWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A debugger: starts the command behind the first two words, a class and a number, stops in the class and goes so
 *  many lines step by step; then it lets the program go. How many there were is in steps.txt. */
public class Stepper {
    static void step(VirtualMachine vm, ThreadReference thread, String filter) {
        StepRequest step = vm.eventRequestManager().createStepRequest(thread, StepRequest.STEP_LINE, StepRequest.STEP_INTO);
        step.addClassFilter(filter);
        // A thread of an agent's that is stopped as well may hold what that one needs.
        step.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        step.enable();
    }

    /** Until the program has ended: the number of steps. */
    static int watch(VirtualMachine vm, String name, int most) throws InterruptedException {
        MethodEntryRequest entry = vm.eventRequestManager().createMethodEntryRequest();
        entry.addClassFilter(name);
        entry.addCountFilter(1);
        entry.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        entry.enable();
        vm.resume();
        for (int steps = 0;;) {
            EventSet events = vm.eventQueue().remove();
            for (Event event : events) {
                if (event instanceof MethodEntryEvent) {
                    step(vm, ((MethodEntryEvent) event).thread(), name + "*");
                } else if (event instanceof StepEvent && ++steps == most) {
                    vm.eventRequestManager().deleteEventRequest(event.request());
                } else if (event instanceof VMDisconnectEvent) {
                    return steps;
                }
            }
            events.resume();
        }
    }

    public static void main(String[] words) throws Exception {
        ListeningConnector connector = null;
        for (ListeningConnector known : Bootstrap.virtualMachineManager().listeningConnectors()) {
            connector = known.transport().name().equals("dt_socket") ? known : connector;
        }
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("localAddress").setValue("127.0.0.1");
        String address = connector.startListening(arguments);
        List<String> command = new ArrayList<>(Arrays.asList(words).subList(2, words.length));
        command.add(1, "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,quiet=y,address=" + address);
        Process process = new ProcessBuilder(command).inheritIO().start();
        int steps = watch(connector.accept(arguments), words[0], Integer.parseInt(words[1]));
        try (FileWriter file = new FileWriter("steps.txt")) {
            file.write("steps " + steps + "\n");
        }
        System.exit(process.waitFor());
    }
}
